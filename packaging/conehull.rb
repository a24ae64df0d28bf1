# Not run here: see packaging/README.md.
class Conehull < Formula
  desc "Near-separable non-negative matrix factorisation, with proofs"
  homepage "https://example.org/conehull"
  url "https://example.org/conehull-0.2.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkg-config" => :build
  depends_on "hdf5"
  depends_on "jansson"
  depends_on "jpeg-turbo"
  depends_on "libarchive"
  depends_on "liblinear"
  depends_on "libpng"
  depends_on "libtiff"
  depends_on :linux
  depends_on "openblas"
  depends_on "utf8proc"
  depends_on "xxhash"
  depends_on "zlib"

  def install
    system "cmake", "-G", "Ninja", "-S", ".", "-B", "build", "-DCONEHULL_TESTS=OFF", "-DCONEHULL_PYTHON=OFF",
           "-DCONEHULL_MPI=OFF", "-DCONEHULL_VIDEO=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    system bin/"conehull", "demo", "--runs", "1", "--frames", "40", "-o", "demo"
    system bin/"conehull", "anchors", "demo/X.npy", "-r", "20", "-o", "found"
    system bin/"conehull", "verify", "demo/X.npy", "found"
  end
end
